import { platform } from '../../app/platform.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Skeleton } from '../../ui/parts.tsx'

interface Session {
  id: string
  createdAt: string
  lastSeenAt: string | null
  userAgent: string | null
  address: string | null
  current: boolean
}

/** Where the person is signed in, and how to end that. */
export function Sessions() {
  const { data, error, reload } = useLoad(
    'sessions',
    async (signal) =>
      (await platform.get<{ sessions: Session[] }>('/api/auth/sessions', { signal })).sessions,
  )
  return (
    <section class="stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <ul class="list">
          {data.map((session) => (
            <li key={session.id}>
              <div class="list-main">
                <strong>{browserOf(session.userAgent)}</strong>
                <p class="meta">
                  {session.address ?? 'address not known'}, since <Ago at={session.createdAt} />
                  {session.lastSeenAt !== null && (
                    <>
                      , last seen <Ago at={session.lastSeenAt} />
                    </>
                  )}
                </p>
              </div>
              {session.current ? (
                <span class="meta">this device</span>
              ) : (
                <Confirm
                  action="End"
                  question="End this session?"
                  class="small"
                  onConfirm={async () => {
                    await platform.delete(`/api/auth/sessions/${encodeURIComponent(session.id)}`)
                    reload()
                  }}
                >
                  Who uses it is asked for the password again.
                </Confirm>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const browsers = ['Firefox', 'Edg', 'Chrome', 'Safari', 'curl'] as const

/** A browser's name for people, as far as it says one. */
function browserOf(userAgent: string | null): string {
  const found = browsers.find((name) => userAgent?.includes(name))
  if (found === 'Edg') return 'Edge'
  return found ?? userAgent?.slice(0, 60) ?? 'Unknown program'
}
