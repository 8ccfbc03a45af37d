"""Never comes back from being imported."""

EXPECT = "import"


while True:
    pass
