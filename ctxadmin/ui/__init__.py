"""What pages share: their shell, components, forms, languages, and the pages of accounts."""
