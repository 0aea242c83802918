import * as group from '#functions/web/connections.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { ConnectionSettings } from '#shared/tools/connections/context.ts'
import { openConnection } from '#shared/tools/connections/open.ts'
import { startBrowser } from '../accounts/browser.ts'
import { callerOf } from '../http/caller.ts'
import { encryptionKey } from './broker.ts'

export interface ConnectionOptions {
  allowed?: readonly string[]
  resolve?: Resolve
  webUrl?: string
  waits?: ConnectionSettings['waits']
}

/** Starts the routes of connections over a table, as one process. */
export function connectionsOver(table: Table, options: ConnectionOptions = {}) {
  const { allowed = [], resolve, webUrl = 'http://localhost:3000', waits } = options
  const mails: Mail[] = []
  const services = {
    table,
    encryptionKey,
    allowed,
    resolve,
    webUrl,
    ...(waits !== undefined && { waits }),
    mailer: { send: async (mail: Mail) => void mails.push(mail) },
  }
  const call = callerOf(group, services)
  return {
    services,
    mails,
    call,
    /** Calls a route below `/api/agents`. @returns status and body */
    async ask(method: string, path: string, session: string, body?: unknown) {
      const answer = await call(method, `/api/agents/${path}`, {
        session,
        ...(body !== undefined && { body }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    /** Returns the browser of a signed-in user. */
    browser(session: string) {
      const browser = startBrowser(webUrl, async (request) => {
        const { pathname, search } = new URL(request.url)
        return call(request.method, `${pathname}${search}`, {
          headers: Object.fromEntries(request.headers),
        })
      })
      browser.setCookie('service-session', session)
      return browser
    },
    /** Opens a connection as the proxy does. */
    open: (agent: { userId: string; agentId: string }, name: string, refused?: string) =>
      openConnection({ ...services, log: createLog() }, { agent, name, refused }),
  }
}
