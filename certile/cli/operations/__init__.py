"""Operations by name: what each is given, what comes back, and what it means in float64."""
