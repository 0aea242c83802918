import type { Load } from '../../ui/lazy.ts'
import type { TabProps } from './tab.ts'

interface Tab {
  name: string
  slug: string
  /** Absent where the agent's own file has it. */
  load?: Load<TabProps>
  /** Paths of what it asks first, of an agent's id. */
  first(id: string): string[]
}

/** The tabs of an agent's page: they stand in the frame, so that a tab comes together with the page around it. */
export const tabs: readonly Tab[] = [
  {
    name: 'Overview',
    slug: '',
    first: (id) => [`/api/agents/${id}/stats`, `/api/agents/${id}/events?limit=200`],
  },
  {
    name: 'Chat',
    slug: 'chat',
    load: () => import('./chat/chat.tsx'),
    first: (id) => [
      `/api/chat?agentId=${id}&topic=default&limit=100`,
      `/api/chat/topics?agentId=${id}`,
      `/api/runs?agentId=${id}&state=active`,
    ],
  },
  { name: 'Logs', slug: 'logs', load: () => import('./logs/logs.tsx'), first: () => [] },
  {
    name: 'Workspace',
    slug: 'workspace',
    load: () => import('./workspace/workspace.tsx'),
    first: (id) => [`/api/memory?agentId=${id}`],
  },
  {
    name: 'Schedules',
    slug: 'schedules',
    load: () => import('./schedules.tsx'),
    first: (id) => [`/api/scheduled-tasks?agentId=${id}`],
  },
  {
    name: 'Settings',
    slug: 'settings',
    load: () => import('./settings/settings.tsx'),
    first: (id) => [`/api/agents/${id}/config`],
  },
]
