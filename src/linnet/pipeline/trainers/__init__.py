"""The trainers: online, counting, batch. Each is given a job and a stream of rows, and returns a model."""
