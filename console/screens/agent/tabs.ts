import type { Load } from '../../ui/lazy.ts'
import type { TabProps } from './tab.ts'

interface Tab {
  /** The last part of its path, which is its name in lower case. Empty for the overview. */
  slug: string
  /** Undefined if the tab is part of the agent page's file. */
  load?: Load<TabProps>
  /** Returns the paths that the tab requests first. */
  first(id: string): string[]
}

/** One file, because both tabs have the same parts. */
const outside = () => import('./outside.ts')

/** The tabs of an agent's page. They are part of the frame, so that a tab loads in parallel with its page. */
export const tabs: readonly Tab[] = [
  {
    slug: '',
    first: (id) => [`/api/agents/${id}/stats`, `/api/agents/${id}/events?limit=200`],
  },
  {
    slug: 'chat',
    load: () => import('./chat/chat.tsx'),
    first: (id) => [
      `/api/chat?agentId=${id}&topic=default&limit=100`,
      `/api/chat/topics?agentId=${id}`,
      `/api/runs?agentId=${id}&state=active`,
    ],
  },
  { slug: 'logs', load: () => import('./logs/logs.tsx'), first: () => [] },
  {
    slug: 'files',
    load: () => import('./files/files.tsx'),
    first: (id) => [`/api/agents/${id}/files?limit=200`],
  },
  {
    slug: 'workspace',
    load: () => import('./workspace/workspace.tsx'),
    first: (id) => [`/api/memory?agentId=${id}`],
  },
  {
    slug: 'schedules',
    load: () => import('./schedules.tsx'),
    first: (id) => [`/api/scheduled-tasks?agentId=${id}`],
  },
  {
    slug: 'policy',
    load: () => import('./policy/policy.tsx'),
    first: (id) => [`/api/agents/${id}/policy`],
  },
  {
    slug: 'payments',
    load: () => import('./payments/payments.tsx'),
    first: (id) => [`/api/agents/${id}/mandate`, '/api/wallet'],
  },
  {
    slug: 'channels',
    load: () => outside().then(({ Channels }) => ({ default: Channels })),
    first: (id) => [`/api/agents/${id}/channels`],
  },
  {
    slug: 'connections',
    load: () => outside().then(({ Connections }) => ({ default: Connections })),
    first: (id) => [`/api/agents/${id}/connections`],
  },
  {
    slug: 'settings',
    load: () => import('./settings/settings.tsx'),
    first: (id) => [`/api/agents/${id}/config`],
  },
]
