"""Tables over several variables, and the orders in which variables are summed out of them (sections 14.2 and 14.4)."""
