import { Resource } from './resource.ts'

/** Addresses that are told what happens. */
export class WebhookEndpoints extends Resource {
  /** Have events posted to an address; the secret that signs them is shown this once */
  create = this.opWithBody('POST /api/webhook-endpoints')

  /** The addresses that the caller’s events are posted to, oldest first */
  list = this.op('GET /api/webhook-endpoints', 'endpoints')

  /** Post no more events to an address */
  delete = this.op('DELETE /api/webhook-endpoints/{id}')

  /** Deliveries, newest first; `for await` goes through all pages */
  deliveries = this.listOf('GET /api/webhook-endpoints/{id}/deliveries', 'deliveries')

  /** Post an event again, under the same webhook-id */
  redeliver = this.op('POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver')

  /** Post an event of type ping */
  test = this.op('POST /api/webhook-endpoints/{id}/test')
}
