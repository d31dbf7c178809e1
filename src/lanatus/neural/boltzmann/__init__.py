"""Networks with an energy: Hopfield, Boltzmann, restricted machines and their stacks; sparse distributed memory."""
