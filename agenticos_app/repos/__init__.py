"""Every query. Functions take the transaction first and see only the actor's organization."""
