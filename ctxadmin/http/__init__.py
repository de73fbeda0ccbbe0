"""HTTP below the pages: requests, endpoints, problems, the OpenAPI document, health."""
