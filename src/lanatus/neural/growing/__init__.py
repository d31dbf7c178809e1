"""Networks whose structure is learned."""
