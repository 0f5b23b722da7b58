// Placeholder until the session manager is in place.
