"""The batch solvers: each minimises one kind of objective, to a proven duality gap where there is one."""
