import { Resource } from './resource.ts'

/** Webhook endpoints, which receive the caller’s events. */
export class WebhookEndpoints extends Resource {
  /** Creates a webhook endpoint. The response contains its signing secret, which is shown only once. */
  create = this.opWithBody('POST /api/webhook-endpoints')

  /** Lists the caller’s webhook endpoints, oldest first. */
  list = this.op('GET /api/webhook-endpoints', 'endpoints')

  /** Deletes a webhook endpoint. */
  delete = this.op('DELETE /api/webhook-endpoints/{id}')

  /** Lists the deliveries to a webhook endpoint, newest first. `for await` iterates over all pages. */
  deliveries = this.listOf('GET /api/webhook-endpoints/{id}/deliveries', 'deliveries')

  /** Sends an event again with the same webhook-id. */
  redeliver = this.op('POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver')

  /** Sends a test event of type ping. */
  test = this.op('POST /api/webhook-endpoints/{id}/test')
}
