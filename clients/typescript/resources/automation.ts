import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Prompts that agents are sent by a schedule. */
export class Tasks extends Resource {
  /** The caller’s scheduled tasks, oldest first, or those of one agent */
  list(query?: QueryOf<'GET /api/scheduled-tasks'>, options?: RequestOptions) {
    return this.client.call('GET /api/scheduled-tasks', { query }, options, 'tasks')
  }

  /** Send an agent a prompt by a schedule */
  create(body: BodyOf<'POST /api/scheduled-tasks'>, options?: RequestOptions) {
    return this.client.once('POST /api/scheduled-tasks', { body }, options)
  }

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
  run(id: string, options?: RequestOptions) {
    return this.client.once('POST /api/scheduled-tasks/{id}/run', { params: { id } }, options)
  }

  /** The runs of a scheduled task, the latest first */
  runs(
    id: string,
    query?: QueryOf<'GET /api/scheduled-tasks/{id}/runs'>,
    options?: RequestOptions,
  ) {
    const input = { params: { id }, query }
    return this.client.call('GET /api/scheduled-tasks/{id}/runs', input, options, 'runs')
  }
}

/** Several agents asked at once. */
export class Swarms extends Resource {
  /** The caller’s swarms, oldest first */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/swarms', {}, options, 'swarms')
  }

  /** Make a swarm of the caller’s own agents */
  create(body: BodyOf<'POST /api/swarms'>, options?: RequestOptions) {
    return this.client.once('POST /api/swarms', { body }, options)
  }

  /** Run a prompt on every member of a swarm, side by side */
  run(id: string, body: BodyOf<'POST /api/swarms/{id}/run'>, options?: RequestOptions) {
    return this.client.once('POST /api/swarms/{id}/run', { params: { id }, body }, options)
  }
}

/** What goes on for a user, of every kind. */
export class Runs extends Resource {
  /** The caller’s runs, the latest first */
  list(query?: QueryOf<'GET /api/runs'>, options?: RequestOptions) {
    return this.client.call('GET /api/runs', { query }, options, 'runs')
  }

  /** Cancel a run; the reason is shown with it */
  cancel(id: string, reason?: string, options?: RequestOptions) {
    const input = { params: { id }, body: { reason } }
    return this.client.call('POST /api/runs/{id}/cancel', input, options)
  }
}

/** Videos made by a prompt. */
export class Videos extends Resource {
  /** Order a video by a prompt; the job tells what becomes of it */
  generate(body: BodyOf<'POST /api/generate-video'>, options?: RequestOptions) {
    return this.client.once('POST /api/generate-video', { body }, options)
  }
}

/** What becomes of orders. */
export class Jobs extends Resource {
  /** What has become of a job of the caller’s */
  get(id: string, options?: RequestOptions) {
    return this.client.call('GET /api/jobs/{id}', { params: { id } }, options)
  }
}
