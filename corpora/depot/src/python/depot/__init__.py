"""The purchasing side of the depot: proposals of the nightly batch become orders."""
