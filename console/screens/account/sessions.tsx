import { platform } from '../../base/platform.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useLoad } from '../../ui/load.ts'
import { LoadedList } from '../../ui/loaded-list.tsx'
import { Ago } from '../../ui/parts.tsx'

/** Lists the user's sessions, with a button to end each. */
export function Sessions() {
  const sessions = useLoad('sessions', (signal) => platform.auth.listSessions({ signal }))
  return (
    <section class="stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <LoadedList of={sessions} lines={3}>
        {(session) => (
          <li key={session.id}>
            <div class="list-main">
              <strong>{browserOf(session.userAgent)}</strong>
              <p class="meta">
                {session.address ?? 'unknown address'}, since <Ago at={session.createdAt} />
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
                  await platform.auth.endSession(session.id)
                  sessions.reload()
                }}
              >
                The device must sign in again.
              </Confirm>
            )}
          </li>
        )}
      </LoadedList>
    </section>
  )
}

const browsers = ['Firefox', 'Edg', 'Chrome', 'Safari', 'curl'] as const

/** Returns the name of the browser, if the user agent contains it. */
function browserOf(userAgent: string | null): string {
  const found = browsers.find((name) => userAgent?.includes(name))
  if (found === 'Edg') return 'Edge'
  return found ?? userAgent?.slice(0, 60) ?? 'Unknown program'
}
