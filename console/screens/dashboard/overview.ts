export { Agents } from '../agents/agents.tsx'
export { Dashboard } from './dashboard.tsx'
