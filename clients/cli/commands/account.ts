import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { buildRouteMap } from '@stricli/core'
import { Platform, PlatformError, type Profile } from '../../typescript/index.ts'
import { openInBrowser } from '../browser.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'
import type { Access } from '../store.ts'
import { accessOf, type Tokens } from '../tokens.ts'

/** A device authorization response (RFC 8628, section 3.2). */
interface Device {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  /** Seconds. */
  expires_in: number
  interval?: number
}

interface SignInFlags {
  token?: string | undefined
  noBrowser: boolean
}

export const login = command(
  {
    brief: 'Sign in with the browser or an API key',
    flags: {
      token: flag.text('Sign in with this API key; - reads it from standard input'),
      noBrowser: flag.yes('Print the address but do not open it'),
    },
  },
  async (cli, flags) => {
    const me = await signIn(cli, flags)
    cli.show(flags, { ...me, status: 'done' }, () => signedInAs(cli, flags, me))
  },
)

/** Signs in by the browser or with a key. Stores the key or token only after a request with it succeeds. */
async function signIn(cli: Cli, flags: CommonFlags & SignInFlags): Promise<Profile> {
  const baseUrl = cli.urlOf(flags)
  const { token } = flags
  const access =
    token === undefined
      ? await letIn(cli, flags, baseUrl)
      : { apiKey: token === '-' ? (await cli.input()).trim() : token }
  const platform = new Platform({ baseUrl, apiKey: access.apiKey })
  const me = await platform.settings.get({ signal: cli.signal })
  cli.store.keep(baseUrl, access)
  return me
}

/** Signs the user in before a command that needs it. */
export async function signInFirst(cli: Cli, flags: CommonFlags): Promise<void> {
  cli.say(signedInAs(cli, flags, await signIn(cli, { ...flags, noBrowser: false })))
}

function signedInAs(cli: Cli, flags: CommonFlags, { email }: Profile): string {
  return `Signed in at ${cli.urlOf(flags)} as ${email}`
}

async function letIn(
  cli: Cli,
  flags: CommonFlags & { noBrowser: boolean },
  baseUrl: string,
): Promise<Access> {
  const platform = new Platform({ baseUrl, apiKey: '' })
  const { client_id: clientId } = await platform.request<{ client_id: string }>(
    'POST /oauth/register',
    {
      body: {
        client_name: `CLI on ${hostname()}`,
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
      },
    },
    { signal: cli.signal },
  )
  const device = await platform.request<Device>(
    'POST /oauth/device_authorization',
    { body: new URLSearchParams({ client_id: clientId, host: hostname() }) },
    { signal: cli.signal },
  )
  const { user_code: userCode, verification_uri_complete: address, expires_in: expiresIn } = device
  if (flags.json)
    cli.json({ status: 'waiting', verificationUriComplete: address, userCode, expiresIn })
  else cli.say(`Open ${address}\nand compare the code: ${userCode}`)
  if (cli.isInteractive && !flags.noBrowser) await openInBrowser(cli, address)
  return accessOf(await decided(cli, platform, clientId, device), clientId)
}

/** Polls until the user decides. @throws CommandError if the user denies access or the code expires */
async function decided(
  cli: Cli,
  platform: Platform,
  clientId: string,
  { device_code, interval = 5 }: Device,
): Promise<Tokens> {
  let seconds = interval
  for (;;) {
    await wait(seconds * 1000, undefined, { signal: cli.signal })
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: clientId,
      device_code,
    })
    try {
      return await platform.request<Tokens>('POST /oauth/token', { body }, { signal: cli.signal })
    } catch (error) {
      const code = error instanceof PlatformError ? error.code : undefined
      if (code === 'slow_down') seconds += 5
      else if (code === 'access_denied' || code === 'expired_token')
        throw new CommandError(exitCodes.notSignedIn, (error as Error).message, 'agents login')
      else if (code !== 'authorization_pending') throw error
    }
  }
}

export const logout = command(
  { brief: 'Sign out and delete the stored key or token' },
  async (cli, flags) => {
    const baseUrl = cli.urlOf(flags)
    const { access } = cli.store.read()
    const refresh = access[baseUrl]?.refresh
    cli.store.keep(baseUrl, null)
    if (refresh !== undefined) {
      const body = new URLSearchParams({ token: refresh.token, client_id: refresh.clientId })
      await new Platform({ baseUrl, apiKey: '' }).request(
        'POST /oauth/revoke',
        { body },
        { signal: cli.signal },
      )
    }
    cli.show(flags, { success: true }, () => `Signed out at ${baseUrl}`)
  },
)

export const whoami = command({ brief: 'Show the signed-in user' }, async (cli, flags) => {
  const me = await cli.ask(flags, 'GET /api/settings')
  cli.show(flags, me, () => `${String(me.email)} (${String(me.plan)}) at ${cli.urlOf(flags)}`)
})

export const webhooks = buildRouteMap({
  docs: { brief: 'Manage webhook endpoints' },
  routes: {
    ls: command({ brief: 'List webhook endpoints' }, async (cli, flags) => {
      const answer = await cli.ask(flags, 'GET /api/webhook-endpoints')
      cli.list(flags, answer.endpoints, ['id', 'url', 'events', 'disabledAt'])
    }),
    create: command(
      { brief: 'Create a webhook endpoint for these events', args: ['url', 'event…'] },
      async (cli, flags, url, ...events) => {
        const answer = await cli.ask(flags, 'POST /api/webhook-endpoints', {
          body: { url, events },
        })
        cli.show(flags, answer, () => `${String(answer.id)}\n${String(answer.secret)}`)
      },
    ),
    rm: command(
      {
        brief: 'Delete a webhook endpoint',
        args: ['endpoint'],
        flags: { yes: flag.yes('Do not ask for confirmation') },
      },
      async (cli, flags, id = '') => {
        await cli.confirm(flags.yes, `Deleting ${id}`, `agents webhooks rm ${id}`)
        const answer = await cli.ask(flags, 'DELETE /api/webhook-endpoints/{id}', {
          params: { id },
        })
        cli.show(flags, answer, () => id)
      },
    ),
    test: command(
      { brief: 'Send a ping event to a webhook endpoint', args: ['endpoint'] },
      async (cli, flags, id = '') => {
        const answer = await cli.ask(flags, 'POST /api/webhook-endpoints/{id}/test', {
          params: { id },
        })
        cli.show(flags, answer, () => JSON.stringify(answer))
      },
    ),
  },
})
