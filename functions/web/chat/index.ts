import { getHistory } from './history.ts'
import { sendMessage } from './send.ts'

export const routes = [sendMessage, getHistory]
