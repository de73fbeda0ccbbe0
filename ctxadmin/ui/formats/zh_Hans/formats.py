"""Numbers as the scripts of the page write them in Chinese: 12,345."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
