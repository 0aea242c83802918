import { type DeletionHook, removeAgentRows } from '../../../shared/agents/deletion.ts'
import { removeBrokerRows } from '../../../shared/broker/remove.ts'
import { removeInbox } from '../../../shared/bus/inbox/remove.ts'
import { removeMessages } from '../../../shared/chat/remove-messages.ts'
import { askForFreedPlace } from '../../../shared/lapses/freed-place.ts'
import { removeTasks } from '../../../shared/scheduled-tasks/delete.ts'
import { removeAgentQuotas } from '../../../shared/usage/quota/remove.ts'
import { removeTraffic } from '../../../shared/traffic/remove.ts'
import { removeWorkspace } from '../../../shared/workspace/remove.ts'

/** The hooks that remove the data of a deleted agent. Each noun that stores data of agents adds its hook here. */
export const onDeleted: readonly DeletionHook[] = [
  removeTasks,
  removeWorkspace,
  removeMessages,
  removeInbox,
  removeBrokerRows,
  removeAgentQuotas,
  removeTraffic,
  removeAgentRows,
  askForFreedPlace,
]
