import { changeTask } from './change-task.ts'
import { createSwarm } from './create-swarm.ts'
import { createTask } from './create-task.ts'
import { deleteTask } from './delete-task.ts'
import { listSwarms } from './list-swarms.ts'
import { listTasks } from './list-tasks.ts'
import { runSwarm } from './run-swarm.ts'

export const routes = [
  listTasks,
  createTask,
  changeTask,
  deleteTask,
  listSwarms,
  createSwarm,
  runSwarm,
]
