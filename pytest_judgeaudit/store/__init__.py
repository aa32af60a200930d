"""What is kept on disk: answers, journals, the protocol lock; and the redactor before them."""
