export { Channels } from './channels/channels.tsx'
export { Connections } from './connections/connections.tsx'
