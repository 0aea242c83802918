import type { Settings } from '#shared/platform/config/settings.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Notice } from './topic.ts'

export type NoticeSettings = Pick<
  Settings,
  | 'NOTIFY_CHAT_ADMIN_ID'
  | 'NOTIFY_CHAT_API_URL'
  | 'NOTIFY_CHAT_BOT_TOKEN'
  | 'NOTIFY_TEAM_WEBHOOK_URL'
>

export interface Channel {
  name: 'team' | 'chat'
  send(notice: Notice): Promise<void>
}

const timeouts = { totalMs: 5000 }

/** Returns the configured channels: the chat with all three of its settings, the team webhook with its URL. */
export function channels(settings: NoticeSettings): Channel[] {
  const {
    NOTIFY_CHAT_API_URL: api,
    NOTIFY_CHAT_BOT_TOKEN: token,
    NOTIFY_CHAT_ADMIN_ID: chatId,
    NOTIFY_TEAM_WEBHOOK_URL: webhook,
  } = settings
  const found: Channel[] = []
  if (webhook !== undefined)
    found.push({ name: 'team', send: (notice) => post('team', webhook, notice) })
  if (api !== undefined && token !== undefined && chatId !== undefined)
    found.push({
      name: 'chat',
      send: ({ text }) => post('chat', `${api}/bot${token}/sendMessage`, { chat_id: chatId, text }),
    })
  return found
}

/** Both addresses contain a secret, so errors name the channel and never the address. */
async function post(channel: string, url: string, json: unknown): Promise<void> {
  const status = await statusOf(url, json).catch(() => undefined)
  if (status === undefined) throw new Error(`the ${channel} channel cannot be reached`)
  if (!isSuccess(status)) throw new Error(`the ${channel} channel responded with ${status}`)
}

async function statusOf(url: string, json: unknown): Promise<number> {
  const { status, close } = await sendRequest({ target: targetOf(url), json, timeouts })
  close()
  return status
}
