"""The Toolbox of the Builder: what an agent can do, drawn from the registry's answer alone."""
