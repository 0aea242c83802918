import { chat } from './chat.ts'
import { createChatCompletion } from './chat-completions.ts'
import { getModels } from './list-models.ts'

export const routes = [chat, createChatCompletion, getModels]
