import { words } from '../app/words.ts'
import { Icon } from './icon.tsx'

/** What went wrong, told at once to people who do not see it. */
export function Fault({ error }: { error: unknown }) {
  if (error === undefined || error === null) return null
  return (
    <div class="fault" role="alert">
      <Icon name="alert" />
      <p>{typeof error === 'string' ? error : words(error)}</p>
    </div>
  )
}
