"""Every word of this capability that a model reads."""

NOW = "Now it is {weekday}, {time} {zone}."
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
