import type { BodyOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { Resource } from './resource.ts'

/** Prompts that the platform sends to agents on a schedule. */
export class Tasks extends Resource {
  /** Lists the caller’s scheduled tasks, oldest first, or only those for one agent. */
  list = this.opWithQuery('GET /api/scheduled-tasks', 'tasks')

  /** Creates a scheduled task: a prompt that the platform sends to an agent on a schedule. */
  create = this.onceWithBody('POST /api/scheduled-tasks')

  /** Changes the given fields of a scheduled task. */
  update(
    taskId: string,
    change: Omit<BodyOf<'PUT /api/scheduled-tasks'>, 'taskId'>,
    options?: RequestOptions,
  ) {
    return this.client.call('PUT /api/scheduled-tasks', { body: { ...change, taskId } }, options)
  }

  /** Deletes a scheduled task. A run that has started continues. */
  delete(taskId: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/scheduled-tasks', { body: { taskId } }, options)
  }

  /** Runs a scheduled task now. */
  run = this.once('POST /api/scheduled-tasks/{id}/run')

  /** Lists the runs of a scheduled task, latest first. `for await` iterates over all pages. */
  runs = this.listOf('GET /api/scheduled-tasks/{id}/runs', 'runs')
}

/** Groups of agents that answer the same prompt. */
export class Swarms extends Resource {
  /** Lists the caller’s swarms, oldest first. */
  list = this.op('GET /api/swarms', 'swarms')

  /** Creates a swarm of the caller’s agents. */
  create = this.onceWithBody('POST /api/swarms')

  /** Sends a prompt to every agent of a swarm in parallel. */
  run = this.onceWithBody('POST /api/swarms/{id}/run')
}

/** The caller’s runs of every kind: chats, scheduled tasks, jobs. */
export class Runs extends Resource {
  /** Lists the caller’s runs, latest first. */
  list = this.opWithQuery('GET /api/runs', 'runs')

  /** Cancels a run. The reason is shown with it. */
  cancel(id: string, reason?: string, options?: RequestOptions) {
    const input = { params: { id }, body: { reason } }
    return this.client.call('POST /api/runs/{id}/cancel', input, options)
  }
}

/** Videos generated from prompts. */
export class Videos extends Resource {
  /** Orders a video. Poll the returned job for the result. */
  generate = this.onceWithBody('POST /api/generate-video')
}

/** Jobs of asynchronous requests. */
export class Jobs extends Resource {
  /** Returns the state of one of the caller’s jobs. */
  get = this.op('GET /api/jobs/{id}')
}
