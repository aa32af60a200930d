"""The part that knows pytest: parametrising, fixtures, outcomes, the controller, gate items."""
