import { postDemoChat } from './chat.ts'
import { getDemoChat } from './describe.ts'
import { getModels } from './models.ts'

export const routes = [getDemoChat, postDemoChat, getModels]
