"""Single neurons: M-P neuron, perceptron, Adaline, LMS and Hebb's rule."""
