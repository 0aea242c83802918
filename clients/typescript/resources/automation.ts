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
