import { removeFiles } from '#shared/agents/files/remove.ts'
import { type DeletionHook, removeAgentRows } from '#shared/agents/record/deletion.ts'
import { removeTraffic } from '#shared/agents/traffic/remove.ts'
import { removeWorkspace } from '#shared/agents/workspace/remove.ts'
import { removeAgentQuotas } from '#shared/ai/usage/quota/remove.ts'
import { recheckLapsedAgents } from '#shared/billing/downgrades/recheck-lapsed-agents.ts'
import { removeChannels } from '#shared/conversations/channels/remove.ts'
import { removeMessages } from '#shared/conversations/chat/remove-messages.ts'
import { removeTasks } from '#shared/conversations/scheduled-tasks/delete.ts'
import { removeInbox } from '#shared/network/bus/inbox/remove.ts'
import { removeApprovals } from '#shared/permits/approvals/remove.ts'
import { removeMandate } from '#shared/permits/mandates/remove.ts'
import { removePolicy } from '#shared/permits/policy/remove.ts'
import { removeBrokerRows } from '#shared/tools/broker/remove.ts'
import { removeConnections } from '#shared/tools/connections/remove.ts'

/** The hooks that remove the data of a deleted agent. Each noun that stores data of agents adds its hook here. */
export const onDeleted: readonly DeletionHook[] = [
  removeTasks,
  removeWorkspace,
  removeMessages,
  removeChannels,
  removeInbox,
  removeMandate,
  removeBrokerRows,
  removeConnections,
  removePolicy,
  removeApprovals,
  removeAgentQuotas,
  removeTraffic,
  removeFiles,
  removeAgentRows,
  recheckLapsedAgents,
]
