import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Talks to the league: reads a line, asks the bots, writes a line. Its argument is the name of your class. */
public final class Kit {
    private final Class<?> type;
    private final Map<Integer, Bot> bots = new HashMap<>();
    private final Map<Integer, String> broken = new HashMap<>();
    private final Random mathRandom = ofMath();
    private Map<String, Object> hello;

    private Kit(Class<?> type) {
        this.type = type;
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(System.err); // what your class prints must not get between the answers
        if (arguments.length != 1) {
            throw new IllegalArgumentException("Expected the name of your class in the command of bot.toml.");
        }
        new Kit(Class.forName(arguments[0])).serve(answers);
    }

    private void serve(PrintStream answers) throws IOException, ReflectiveOperationException {
        InputStreamReader input = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        BufferedReader lines = new BufferedReader(input, 1 << 16);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Map<String, Object> message = Json.object(Json.read(line));
            if (message.containsKey("hello")) {
                hello = Json.object(message.get("hello"));
                newBot(); // so that a class that cannot be made is noticed at once
                answers.print("{\"protocol\":1,\"final_view\":true}\n");
            } else {
                answers.print(answer(message));
                answers.print('\n');
            }
            answers.flush();
        }
    }

    private String answer(Map<String, Object> message) {
        for (Object finish : Json.list(message.get("finish"))) {
            finish(Json.object(finish));
        }
        for (Object start : Json.list(message.get("start"))) {
            start(Json.object(start));
        }
        StringBuilder moves = new StringBuilder("[");
        for (Object choose : Json.list(message.get("choose"))) {
            moves.append(moves.length() > 1 ? "," : "").append(choose(Json.object(choose)));
        }
        return moves.append(']').toString();
    }

    private void finish(Map<String, Object> finish) {
        Bot bot = bots.get(Json.integer(finish.get("slot")));
        try {
            seedMath(bot);
            View view = Views.of(bot.game, Json.object(finish.get("view")));
            bot.finish(Json.integers(finish.get("ranks")), Json.integers(finish.get("scores")), view);
        } catch (Throwable problem) {
            problem.printStackTrace();
        }
    }

    private void start(Map<String, Object> start) {
        int slot = Json.integer(start.get("slot"));
        broken.remove(slot);
        try {
            if (Boolean.TRUE.equals(start.get("fresh"))) {
                Bot bot = newBot();
                bot.game = (String) hello.get("game");
                bot.players = Json.integer(hello.get("players"));
                bot.options = Json.object(hello.get("options"));
                bot.random = new Random(((Number) start.get("seed")).longValue());
                bots.put(slot, bot);
            }
            Bot bot = bots.get(slot);
            bot.seat = Json.integer(start.get("seat"));
            seedMath(bot);
            bot.start();
        } catch (Throwable problem) {
            broken.put(slot, explained(problem));
        }
    }

    private String choose(Map<String, Object> choose) {
        int slot = Json.integer(choose.get("slot"));
        String reason = broken.get(slot);
        if (reason == null) {
            try {
                Bot bot = bots.get(slot);
                seedMath(bot);
                return Integer.toString(bot.choose(Views.of(bot.game, Json.object(choose.get("view")))));
            } catch (Throwable problem) {
                reason = explained(problem);
            }
        }
        return "{\"error\":" + Json.quoted(reason) + "}";
    }

    private Bot newBot() throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object made = constructor.newInstance();
        return made instanceof Bot ? (Bot) made : new GeierBot(made);
    }

    /** What went wrong, with the place in your own file; the whole of it goes to standard error. */
    private static String explained(Throwable problem) {
        Throwable cause = problem instanceof InvocationTargetException ? problem.getCause() : problem;
        cause.printStackTrace();
        String what = cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
        for (StackTraceElement step : cause.getStackTrace()) {
            String file = step.getFileName();
            if (file != null && step.getModuleName() == null && !OWN_FILES.contains(file)) {
                return what + " (" + file + ":" + step.getLineNumber() + ")";
            }
        }
        return what;
    }

    private static final List<String> OWN_FILES =
            List.of("Kit.java", "Json.java", "Bot.java", "View.java", "Views.java", "GeierBot.java");

    /** Math.random draws from the random numbers of the match too, so that games can be played again. */
    private void seedMath(Bot bot) {
        if (mathRandom != null && bot.random != null) {
            mathRandom.setSeed(bot.random.nextLong());
        }
    }

    private static Random ofMath() {
        try {
            Math.random();
            Field field = Class.forName("java.lang.Math$RandomNumberGeneratorHolder")
                    .getDeclaredField("randomNumberGenerator");
            field.setAccessible(true); // allowed by --add-opens in the command of bot.toml
            return (Random) field.get(null);
        } catch (ReflectiveOperationException | RuntimeException problem) {
            return null;
        }
    }
}
