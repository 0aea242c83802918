import { type DeletionHook, removeAgentRows } from '../../../shared/agents/deletion.ts'
import { removeBrokerRows } from '../../../shared/broker/remove.ts'
import { removeInbox } from '../../../shared/bus/inbox/remove.ts'
import { removeMessages } from '../../../shared/chat/remove-messages.ts'
import { askForFreedPlace } from '../../../shared/lapses/freed-place.ts'
import { removeTasks } from '../../../shared/scheduled-tasks/delete.ts'
import { removeAgentQuotas } from '../../../shared/usage/quota/remove.ts'
import { removeWorkspace } from '../../../shared/workspace/remove.ts'

/** Everything that nouns keep for an agent: a noun that begins to adds what removes it here. */
export const onDeleted: readonly DeletionHook[] = [
  removeTasks,
  removeWorkspace,
  removeMessages,
  removeInbox,
  removeBrokerRows,
  removeAgentQuotas,
  removeAgentRows,
  askForFreedPlace,
]
