"""Who is here: sign-in, set-up, account."""
