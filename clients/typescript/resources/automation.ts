import type { RequestOptions } from '../core/options.ts'
import type { BodyOf } from '../core/operation.ts'
import { Resource } from './resource.ts'

/** Prompts that agents are sent by a schedule. */
export class Tasks extends Resource {
  /** The caller’s scheduled tasks, oldest first, or those of one agent */
  list = this.opWithQuery('GET /api/scheduled-tasks', 'tasks')

  /** Send an agent a prompt by a schedule */
  create = this.onceWithBody('POST /api/scheduled-tasks')

  /** Change what is given of a scheduled task */
  update(
    taskId: string,
    change: Omit<BodyOf<'PUT /api/scheduled-tasks'>, 'taskId'>,
    options?: RequestOptions,
  ) {
    return this.client.call('PUT /api/scheduled-tasks', { body: { ...change, taskId } }, options)
  }

  /** Delete a scheduled task; a run that is under way ends as it will */
  delete(taskId: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/scheduled-tasks', { body: { taskId } }, options)
  }

  /** Run a scheduled task now */
  run = this.once('POST /api/scheduled-tasks/{id}/run')

  /** The runs of a scheduled task, the latest first; `for await` goes through all pages */
  runs = this.listOf('GET /api/scheduled-tasks/{id}/runs', 'runs')
}

/** Several agents asked at once. */
export class Swarms extends Resource {
  /** The caller’s swarms, oldest first */
  list = this.op('GET /api/swarms', 'swarms')

  /** Make a swarm of the caller’s own agents */
  create = this.onceWithBody('POST /api/swarms')

  /** Run a prompt on every member of a swarm, side by side */
  run = this.onceWithBody('POST /api/swarms/{id}/run')
}

/** What goes on for a user, of every kind. */
export class Runs extends Resource {
  /** The caller’s runs, the latest first */
  list = this.opWithQuery('GET /api/runs', 'runs')

  /** Cancel a run; the reason is shown with it */
  cancel(id: string, reason?: string, options?: RequestOptions) {
    const input = { params: { id }, body: { reason } }
    return this.client.call('POST /api/runs/{id}/cancel', input, options)
  }
}

/** Videos made by a prompt. */
export class Videos extends Resource {
  /** Order a video by a prompt; the job tells what becomes of it */
  generate = this.onceWithBody('POST /api/generate-video')
}

/** What becomes of orders. */
export class Jobs extends Resource {
  /** What has become of a job of the caller’s */
  get = this.op('GET /api/jobs/{id}')
}
