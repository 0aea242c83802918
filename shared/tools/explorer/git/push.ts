import { resolve } from 'node:path'
import type { HttpClient } from 'isomorphic-git'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { guardedTarget } from '#shared/platform/http-client/guarded.ts'
import { mayBePlain } from '#shared/platform/http-client/secure.ts'
import { NotPushed } from './not-pushed.ts'
import { pushToPath } from './push-path.ts'
import { type Remote, remoteUrl, withoutCredentials } from './remote.ts'
import type { Repository } from './repository.ts'

interface GitLogin {
  username: string
  password: string
  /** The allowed hosts in URL form: a name, with `:port` unless it is 443. */
  hosts: readonly string[]
}

export interface PushSettings {
  deployed: boolean
  /** The login for HTTP remotes. */
  login: GitLogin | undefined
}

const maxAnswerBytes = 64 * 1024 * 1024

/**
 * Pushes a branch to its upstream, or else to `origin`.
 * @param signal aborts the transfer
 * @throws NotPushed
 */
export async function push(
  repository: Repository,
  {
    root,
    branch,
    settings,
    signal,
  }: { root: string; branch: string; settings: PushSettings; signal: AbortSignal },
): Promise<Remote> {
  const remote = await remoteUrl(repository, branch)
  if (remote === undefined) throw new NotPushed('the repository has no remote')
  const url = remote.pushUrl ?? remote.url
  const kind = kindOf(url)
  try {
    if (kind === 'http') await pushByHttp(repository, { remote, url, branch, settings, signal })
    else if (kind === 'path' && !settings.deployed)
      await pushToPath(repository, { path: resolve(root, url), remote, branch })
    else throw new NotPushed('the type of the remote’s address is not supported; use https')
    return remote
  } catch (error) {
    throw asNotPushed(repository, error, [...secretsOf(settings.login), ...credentialsIn(url)])
  }
}

function kindOf(url: string): 'http' | 'path' | 'other' {
  if (/^https?:\/\//i.test(url)) return 'http'
  // `ext::program`, or `host:path` for SSH.
  return /^[^/]*:/.test(url) || url.startsWith('-') ? 'other' : 'path'
}

async function pushByHttp(
  { git, at }: Repository,
  options: {
    remote: Remote
    url: string
    branch: string
    settings: PushSettings
    signal: AbortSignal
  },
): Promise<void> {
  const { remote, url, branch, settings, signal } = options
  const { login } = settings
  if (login !== undefined) requireTrusted(url, login.hosts, settings.deployed)
  await git.push({
    ...at,
    http: clientOf(settings, signal),
    remote: remote.name,
    url: login === undefined ? url : withoutCredentials(url),
    ref: `refs/heads/${branch}`,
    remoteRef: remote.ref,
    // Ignores a proxy from the repository's configuration.
    corsProxy: '',
    // A second attempt would use the same rejected login.
    onAuth: () => login ?? { cancel: true },
    onAuthFailure: () => ({ cancel: true }),
  })
}

/**
 * The workspace contains the address, and an agent or a clone may have written it: it determines the target of a push,
 * but must not determine the receiver of the token. On one machine, HTTP to loopback is the owner's own server.
 * @throws NotPushed
 */
function requireTrusted(address: string, hosts: readonly string[], deployed: boolean): void {
  const url = URL.parse(address)
  if (url === null) throw new NotPushed('the remote’s address cannot be read')
  const trusted = url.protocol === 'https:' && hosts.includes(url.host)
  if (!trusted && !mayBePlain(url, deployed))
    throw new NotPushed(
      `GIT_TOKEN must not be sent to ${url.protocol}//${url.host.slice(0, 255)}; ` +
        'GIT_TOKEN_HOSTS lists the hosts that may receive it, over https',
    )
}

function clientOf({ deployed }: PushSettings, signal: AbortSignal): HttpClient {
  return {
    async request({ url, method, headers, body }) {
      const chunks: Uint8Array[] = []
      for await (const chunk of body ?? []) chunks.push(chunk)
      const answer = await sendRequest({
        target: guardedTarget(url, { deployed }),
        method,
        headers: headers ?? {},
        body: body === undefined ? undefined : Buffer.concat(chunks),
        timeouts: {},
        maxBytes: maxAnswerBytes,
        signal,
      })
      const whole = await answer.whole()
      return {
        url,
        method: method ?? 'GET',
        statusCode: answer.status,
        statusMessage: '',
        headers: Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: once(whole),
      }
    },
  }
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes
}

/** Returns the login's secrets in stored and in encoded form: a remote may echo what it received. */
function secretsOf(login: { username: string; password: string } | undefined): string[] {
  if (login === undefined) return []
  const { username, password } = login
  return [
    Buffer.from(`${username}:${password}`).toString('base64'),
    Buffer.from(password).toString('base64'),
    encodeURIComponent(password),
    password,
  ]
}

function credentialsIn(url: string): string[] {
  const { username = '', password = '' } = URL.parse(url) ?? {}
  const login = { username: decodedOf(username), password: decodedOf(password) }
  return [...(password === '' ? [] : secretsOf(login)), username, login.username, password]
}

/** A password may contain a percent sign that starts no escape sequence. */
function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function asNotPushed(
  { git }: Repository,
  error: unknown,
  secrets: readonly (string | undefined)[],
): NotPushed {
  const { HttpError, PushRejectedError, GitPushError, UserCanceledError, SmartHttpError } =
    git.Errors
  let why: string | undefined
  if (error instanceof NotPushed) why = error.message
  else if (error instanceof HttpFailure)
    why = error.kind === 'aborted' ? 'the remote did not respond within 20 s' : error.message
  else if (error instanceof PushRejectedError)
    why = 'the remote has commits that the workspace does not have'
  else if (error instanceof UserCanceledError) why = 'the remote refused the login'
  else if (error instanceof HttpError) {
    const { statusCode } = error.data
    why = [401, 403].includes(statusCode)
      ? 'the remote refused the login'
      : `the remote responded with ${statusCode}`
  } else if (error instanceof SmartHttpError) why = 'the remote is not a git server'
  else if (error instanceof GitPushError)
    why = `the remote refused the push: ${error.data.prettyDetails.replaceAll(/\s+/g, ' ').trim().slice(0, 300)}`
  // Other errors are reported by name only, because their text may contain the address.
  why ??= `the push failed (${error instanceof Error ? error.name : typeof error})`
  for (const secret of secrets) if (secret) why = why.replaceAll(secret, '…')
  return new NotPushed(why)
}
