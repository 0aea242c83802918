import * as group from '#functions/web/channels.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { callerOf } from '../http/caller.ts'

/** The addresses of the chat services and of the platform. */
export interface ServiceAddresses {
  slack?: string
  whatsapp?: string
  /** Default: a public https address. */
  web?: string
}

/** Returns the services of channels over played chat services. */
export function channelServices(
  table: Table,
  {
    slack = 'http://127.0.0.1:9',
    whatsapp = slack,
    web = 'https://play.example',
  }: ServiceAddresses,
) {
  const config = { ...loadConfig({}), SLACK_API_URL: slack, WHATSAPP_API_URL: whatsapp }
  return {
    table,
    config,
    encryptionKey: 'an encryption key that is long enough',
    webUrl: web,
    guard: { deployed: false },
  }
}

/** Starts the owner's routes of channels over played chat services. */
export function channelsOver(table: Table, addresses: ServiceAddresses) {
  return callerOf(group, channelServices(table, addresses))
}
