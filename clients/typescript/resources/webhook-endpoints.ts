import type { RequestOptions } from '../core/options.ts'
import type { BodyOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Addresses that are told what happens. */
export class WebhookEndpoints extends Resource {
  /** Have events posted to an address; the secret that signs them is shown this once */
  create(body: BodyOf<'POST /api/webhook-endpoints'>, options?: RequestOptions) {
    return this.client.call('POST /api/webhook-endpoints', { body }, options)
  }

  /** The addresses that the caller’s events are posted to, oldest first */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/webhook-endpoints', {}, options, 'endpoints')
  }

  /** Post no more events to an address */
  delete(id: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/webhook-endpoints/{id}', { params: { id } }, options)
  }

  /** The last 100 deliveries, newest first */
  deliveries(id: string, options?: RequestOptions) {
    return this.client.call(
      'GET /api/webhook-endpoints/{id}/deliveries',
      { params: { id } },
      options,
      'deliveries',
    )
  }

  /** Post an event again, under the same webhook-id */
  redeliver(id: string, deliveryId: string, options?: RequestOptions) {
    return this.client.call(
      'POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver',
      { params: { id, deliveryId } },
      options,
    )
  }

  /** Post an event of type ping */
  test(id: string, options?: RequestOptions) {
    return this.client.call('POST /api/webhook-endpoints/{id}/test', { params: { id } }, options)
  }
}
