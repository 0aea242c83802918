import { type Scope, scopeWords } from './scope-words.ts'
import './connect.css'

/** The permissions of a program. The most powerful ones are highlighted. */
export function Scopes({ of: scopes }: { of: readonly Scope[] }) {
  return (
    <ul class="scopes" aria-label="Permissions">
      {scopes.map((scope) => (
        <li key={scope} data-scope={scope}>
          <strong>{scope}</strong>
          <span>{scopeWords[scope]}</span>
        </li>
      ))}
    </ul>
  )
}
