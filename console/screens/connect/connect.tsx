import { platform, PlatformError } from '../../base/platform.ts'
import { query } from '../../base/router.ts'
import { user } from '../../base/session.ts'
import { InputError } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Head, Skeleton } from '../../ui/parts.tsx'
import { Decision } from './decision.tsx'

/** `/connect`: the consent page. `GET /oauth/authorize` redirects here. */
export default function Connect() {
  const id = query.value.get('request') ?? ''
  return (
    <>
      <Head title="Connect a program" />
      {id === '' ? <Fault error={expiredText} /> : <Asked key={id} id={id} />}
    </>
  )
}

const expiredText = 'This request has expired or was already answered. Start again in the program.'

function Asked({ id }: { id: string }) {
  const { data, error } = useLoad(`request ${id}`, (signal) =>
    platform.oauth.getRequest(id, { signal }),
  )
  if (error !== undefined) return <Fault error={isGone(error) ? expiredText : error} />
  if (data === undefined) return <Skeleton />
  return (
    <Decision
      clientName={data.clientName}
      scopes={data.scopes}
      onDecide={async (approve) => {
        try {
          const { redirectTo } = await platform.oauth.decideRequest(id, { approve })
          location.assign(redirectTo)
        } catch (error) {
          throw isGone(error) ? new InputError(expiredText) : error
        }
      }}
    >
      <dl class="facts card">
        <dt>Redirects to</dt>
        <dd>
          {data.redirectHost}
          {placeOf(data.redirectHost)}
        </dd>
        <dt>Your account</dt>
        <dd>{user.value?.email}</dd>
      </dl>
    </Decision>
  )
}

/** Describes a redirect to a program on this device. Empty for a website. */
function placeOf(host: string): string {
  if (host.endsWith(':')) return ' (the program on this device that opens such links)'
  const local = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/.test(host)
  return local ? ' (a program on this device)' : ''
}

function isGone(error: unknown): boolean {
  return error instanceof PlatformError && error.status === 404
}
