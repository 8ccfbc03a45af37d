import java.util.Scanner;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bids the card nearest to the prize. One line comes in, one line goes out. */
public class Nearest {
    private static final Pattern VIEW = Pattern.compile("\"legal\":\\[([\\d,]+)\\],\"prize\":(-?\\d+)");

    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String line = lines.nextLine();
            System.out.println(line.startsWith("{\"hello\"") ? "{\"protocol\": 1}" : answer(line));
            System.out.flush();
        }
    }

    private static String answer(String line) {
        StringJoiner answers = new StringJoiner(",", "[", "]");
        Matcher view = VIEW.matcher(line);
        while (view.find()) {
            try {
                answers.add(Integer.toString(choose(view.group(1).split(","), Integer.parseInt(view.group(2)))));
            } catch (RuntimeException problem) { // a fault in this game; the others go on
                answers.add("{\"error\": \"" + problem.getClass().getSimpleName() + "\"}");
            }
        }
        return answers.toString();
    }

    private static int choose(String[] legal, int prize) {
        int best = Integer.parseInt(legal[0]);
        for (String word : legal) {
            int card = Integer.parseInt(word);
            if (Math.abs(card - prize) < Math.abs(best - prize)) {
                best = card;
            }
        }
        return best;
    }
}
