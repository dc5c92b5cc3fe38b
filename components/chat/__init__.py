"""The chat: conversations, turns, composer."""
