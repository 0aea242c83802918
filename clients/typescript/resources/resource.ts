import type { Client } from '../core/client.ts'

/** A group of operations. */
export abstract class Resource {
  protected readonly client: Client

  constructor(client: Client) {
    this.client = client
  }
}
