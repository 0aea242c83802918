import type { Approval } from '../../../clients/typescript/index.ts'
import { stateNames } from './words.ts'

/** The states whose color is the color of an agent's state. */
const colors: Partial<Record<Approval['state'], string>> = {
  pending: 'pending',
  approved: 'pending',
  done: 'running',
  failed: 'error',
}

/** The state of an approval as text. Its color only repeats it. */
export function ApprovalState({ of }: { of: Approval['state'] }) {
  return (
    <span class="state" data-state={colors[of]}>
      {stateNames[of]}
    </span>
  )
}
