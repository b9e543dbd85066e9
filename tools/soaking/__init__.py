"""What happens during a soak: users, faults, and the book that is kept of every take."""
