"""What pages share: shell, components, forms, languages, and the pages of accounts."""
