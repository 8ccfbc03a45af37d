import java.util.Map;
import java.util.Random;

/**
 * What your class extends. One object plays one match, which may have several games against the same opponents. The
 * fields are set when start is called, not yet in the constructor.
 *
 * <p>Write one choose for each game that your bot plays, such as choose(RajView), or choose(View) for all of them.
 */
public abstract class Bot {
    /** The name of the game. */
    public String game;
    /** How many play. */
    public int players;
    /** Where this bot sits, from 0. */
    public int seat;
    /** The options of the game, by name. */
    public Map<String, Object> options;
    /** Random numbers that are the same when a game is played again. Math.random is tied to it. */
    public Random random;

    /** A game begins. */
    public void start() {}

    /** A game is over: ranks (0 is best) and scores by seat, and all that this seat sees now. */
    public void finish(int[] ranks, int[] scores, View view) {}

    /** Your turn: return one of view.legal. */
    public int choose(View view) {
        return view.askedOf(this);
    }
    // choose for each view
}
