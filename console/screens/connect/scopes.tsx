import './connect.css'

/** The scopes of keys and programs. */
export type Scope = 'read' | 'chat' | 'write' | 'admin'

export const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'See your agents, their logs and memory, and what they cost',
  chat: 'Talk to your agents and call models, which uses up your plan',
  write: 'Make, change and delete agents, schedules and what agents remember',
  admin: 'Make and delete keys, and change your plan: all that you can do here yourself',
}

/** What a program may do, in words; what opens everything stands out. */
export function Scopes({ of: scopes }: { of: readonly Scope[] }) {
  return (
    <ul class="scopes" aria-label="What it may do">
      {scopes.map((scope) => (
        <li key={scope} data-scope={scope}>
          <strong>{scope}</strong>
          <span>{scopeWords[scope]}</span>
        </li>
      ))}
    </ul>
  )
}
