"""The dual problem to look at: its value, its conditions, its solution step by step."""
